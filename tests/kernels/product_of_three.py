def fused(a_keys, b_keys, c_keys, a_values, b_values, c_values):
    a_at = 0
    b_at = 0
    c_at = 0
    total = 0.0
    while (a_at < a_keys.size) & (b_at < b_keys.size) & (c_at < c_keys.size):
        a_key = a_keys[a_at]
        b_key = b_keys[b_at]
        c_key = c_keys[c_at]
        index = max(max(a_key, b_key), c_key)
        if min(min(a_key, b_key), c_key) == index:
            total = total + a_values[a_at] * b_values[b_at] * c_values[c_at]
            a_at = a_at + 1
            b_at = b_at + 1
            c_at = c_at + 1
        else:
            a_at = adaptive(a_keys, a_at, a_keys.size, index, False)
            b_at = adaptive(b_keys, b_at, b_keys.size, index, False)
            c_at = adaptive(c_keys, c_at, c_keys.size, index, False)
    return (total,)
