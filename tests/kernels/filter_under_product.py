def fused(a_keys, b_keys, a_values, b_values):
    a_at = 0
    b_at = 0
    total = 0.0
    while (a_at < a_keys.size) & (b_at < b_keys.size):
        a_key = a_keys[a_at]
        b_key = b_keys[b_at]
        a_value = a_values[a_at]
        x = a_value > 0.3
        if x & (a_key == b_key):
            a_at = a_at + 1
            total = total + a_value * b_values[b_at]
            b_at = b_at + 1
        else:
            index = max(a_key, b_key)
            if a_key == index:
                none = not x
            else:
                none = False
            a_at = adaptive(a_keys, a_at, a_keys.size, index, none)
            b_at = adaptive(b_keys, b_at, b_keys.size, index, False)
    return (total,)
