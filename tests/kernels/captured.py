def fused(a_keys, a_values):
    a_at = 0
    total = 0.0
    while a_at < a_keys.size:
        total = total + a_values[a_at] * 2.5
        a_at = a_at + 1
    return (total,)
