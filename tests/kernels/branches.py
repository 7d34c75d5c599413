def fused(a_keys, a_values):
    a_at = 0
    total = 0.0
    while a_at < a_keys.size:
        a_value = a_values[a_at]
        if a_keys[a_at] % 3 == 0:
            if a_value > 0.5:
                times = a_value * 2
            else:
                times = -a_value
            times_2 = times
        else:
            times_2 = -a_value
        a_at = a_at + 1
        total = total + times_2
    return (total,)
