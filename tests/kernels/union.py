def fused(a_keys, b_keys, a_values, b_values):
    a_at = 0
    b_at = 0
    total = 0.0
    while True:
        less = a_at < a_keys.size
        less_2 = b_at < b_keys.size
        if not (less | less_2):
            break
        if less & less_2:
            a_key = a_keys[a_at]
            b_key = b_keys[b_at]
            upto = a_key <= b_key
            upto_2 = b_key <= a_key
        else:
            upto = less
            upto_2 = less_2
        if upto:
            a_value = a_values[a_at]
        else:
            a_value = 0.0
        if upto_2:
            b_value = b_values[b_at]
        else:
            b_value = 0.0
        if upto:
            if upto_2:
                plus = a_value + b_value
            else:
                plus = a_value
            plus_2 = plus
        else:
            plus_2 = b_value
        if upto:
            plus_3 = a_at + 1
        else:
            plus_3 = a_at
        if upto_2:
            plus_4 = b_at + 1
        else:
            plus_4 = b_at
        a_at = plus_3
        b_at = plus_4
        total = total + plus_2
    return (total,)
