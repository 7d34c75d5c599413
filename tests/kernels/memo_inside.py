def fused(a_keys, a_values):
    out_keys = np.empty(16, np.int64)
    out_keys_count = 0
    out_values_0 = np.empty(16, np.float64)
    out_values_0_count = 0
    q = 0
    total = 0.0
    while q < 3:
        out_keys_count = 0
        out_values_0_count = 0
        a_at = 0
        q_2 = q
        while (a_at < a_keys.size) & (q_2 < 9):
            a_key = a_keys[a_at]
            if a_key == q_2:
                if out_keys_count == out_keys.size:
                    out_keys = grow(out_keys)
                out_keys[out_keys_count] = max(a_key, q_2)
                out_keys_count = out_keys_count + 1
                if out_values_0_count == out_values_0.size:
                    out_values_0 = grow(out_values_0)
                out_values_0[out_values_0_count] = a_values[a_at] * q_2
                out_values_0_count = out_values_0_count + 1
                a_at = a_at + 1
                q_2 = q_2 + 1
            else:
                index = max(a_key, q_2)
                a_at = adaptive(a_keys, a_at, a_keys.size, index, False)
                q_2 = max(q_2, min(index, 9) + False)
        count = out_keys_count
        out_at_0 = 0
        total_2 = 0.0
        while out_at_0 < count:
            out_value_0 = out_values_0[out_at_0]
            out_at_0 = out_at_0 + 1
            total_2 = total_2 + out_value_0
        q = q + 1
        total = total + total_2
    return (total,)
