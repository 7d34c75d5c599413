def fused(a_keys, b_keys, a_values, b_values):
    a_at = 0
    b_at = 0
    total = False
    while (a_at < a_keys.size) & (b_at < b_keys.size) & (not total):
        a_key = a_keys[a_at]
        b_key = b_keys[b_at]
        if a_key == b_key:
            total = a_values[a_at] * b_values[b_at] != 0
            a_at = a_at + 1
            b_at = b_at + 1
        else:
            index = max(a_key, b_key)
            a_at = adaptive(a_keys, a_at, a_keys.size, index, False)
            b_at = adaptive(b_keys, b_at, b_keys.size, index, False)
    return (total,)
