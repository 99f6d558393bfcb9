"""Names with a meaning of their own: keywords of C++ and attributes that take arguments."""

# fmt: off
KEYWORDS = frozenset((
    "alignas", "alignof", "and", "asm", "auto", "break", "case", "catch", "class",
    "concept", "const", "consteval", "constexpr", "constinit", "continue", "co_await",
    "co_return", "co_yield", "decltype", "default", "delete", "do", "else", "enum",
    "explicit", "export", "extern", "for", "friend", "goto", "if", "inline", "mutable",
    "namespace", "new", "noexcept", "not", "or", "private", "protected", "public",
    "register", "requires", "return", "sizeof", "static", "static_assert", "struct",
    "switch", "template", "throw", "try", "typedef", "typeid", "typename", "union", "using",
    "virtual", "volatile", "while", "xor",
))
# fmt: on

# Names with parentheses that may stand in a declaration and are not the function.
# fmt: off
ATTRIBUTES = frozenset((
    "__launch_bounds__", "__attribute__", "__attribute", "__declspec", "__cluster_dims__",
    "__block_size__", "__maxnreg__", "__align__", "alignas", "decltype", "noexcept",
    "explicit", "asm", "__asm__", "requires",
))
# fmt: on
