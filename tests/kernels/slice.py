def fused(a_keys, a_values):
    a_at = 0
    total = 0.0
    while True:
        if a_at < a_keys.size:
            less = a_keys[a_at] < 3
        else:
            less = False
        if not (less):
            break
        a_key = a_keys[a_at]
        if a_key >= 1:
            total = total + a_values[a_at]
            a_at = a_at + 1
        else:
            a_at = adaptive(a_keys, a_at, a_keys.size, max(max(a_key, 1), 1), False)
    return (total,)
