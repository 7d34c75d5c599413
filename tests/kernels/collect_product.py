def fused(a_keys, b_keys, a_values, b_values):
    out_keys = np.empty(16, np.int64)
    out_keys_count = 0
    out_values_0 = np.empty(16, np.float64)
    out_values_0_count = 0
    a_at = 0
    b_at = 0
    while (a_at < a_keys.size) & (b_at < b_keys.size):
        a_key = a_keys[a_at]
        b_key = b_keys[b_at]
        if a_key == b_key:
            if out_keys_count == out_keys.size:
                out_keys = grow(out_keys)
            out_keys[out_keys_count] = max(a_key, b_key)
            out_keys_count = out_keys_count + 1
            if out_values_0_count == out_values_0.size:
                out_values_0 = grow(out_values_0)
            out_values_0[out_values_0_count] = a_values[a_at] * b_values[b_at]
            out_values_0_count = out_values_0_count + 1
            a_at = a_at + 1
            b_at = b_at + 1
        else:
            index = max(a_key, b_key)
            a_at = adaptive(a_keys, a_at, a_keys.size, index, False)
            b_at = adaptive(b_keys, b_at, b_keys.size, index, False)
    return (
        out_keys[:out_keys_count],
        out_values_0[:out_values_0_count],
    )
