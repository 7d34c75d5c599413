def fused(a_keys, b_keys, a_values):
    a_at = 0
    b_at = 0
    total = 0.0
    while a_at < a_keys.size:
        less = b_at < b_keys.size
        if less:
            less_2 = a_keys[a_at] < b_keys[b_at]
        else:
            less_2 = True
        if less_2:
            a_key = a_keys[a_at]
            if less:
                adaptive_2 = adaptive(b_keys, b_at, b_keys.size, a_key, True)
            else:
                adaptive_2 = b_at
            b_at = adaptive_2
            total = total + a_values[a_at]
            a_at = adaptive(a_keys, a_at, a_keys.size, a_key, True)
        else:
            a_key_2 = a_keys[a_at]
            if less:
                same = b_keys[b_at] == a_key_2
            else:
                same = False
            if less:
                adaptive_3 = adaptive(b_keys, b_at, b_keys.size, a_key_2, False)
            else:
                adaptive_3 = b_at
            a_at = adaptive(a_keys, a_at, a_keys.size, a_key_2, same)
            b_at = adaptive_3
    return (total,)
