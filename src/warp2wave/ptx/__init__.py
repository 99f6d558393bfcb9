"""Inline PTX: read the statement, read its instructions, say the same in HIP C++."""
