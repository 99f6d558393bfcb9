#error "the second folder of that name"
