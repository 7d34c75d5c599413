def fused(a_keys_0, a_starts_1, a_keys_1):
    out_keys = np.empty(16, np.int64)
    out_keys_count = 0
    out_keys_1 = np.empty(16, np.int64)
    out_keys_1_count = 0
    out_values_0 = np.empty(16, np.int64)
    out_values_0_count = 0
    out_starts_1 = np.zeros(16, np.int64)
    out_starts_1_count = 1
    a_at_0 = 0
    a_at_0_2 = 0
    while (a_at_0 < a_keys_0.size) & (a_at_0_2 < a_keys_0.size):
        a_key_0 = a_keys_0[a_at_0]
        a_key_0_2 = a_keys_0[a_at_0_2]
        if a_key_0 == a_key_0_2:
            plus = a_at_0 + 1
            a_start_1 = a_starts_1[plus]
            plus_2 = a_at_0_2 + 1
            a_start_1_2 = a_starts_1[plus_2]
            if out_keys_count == out_keys.size:
                out_keys = grow(out_keys)
            out_keys[out_keys_count] = max(a_key_0, a_key_0_2)
            out_keys_count = out_keys_count + 1
            a_at_1 = a_starts_1[a_at_0]
            a_at_1_2 = a_starts_1[a_at_0_2]
            while (a_at_1 < a_start_1) & (a_at_1_2 < a_start_1_2):
                a_key_1 = a_keys_1[a_at_1]
                a_key_1_2 = a_keys_1[a_at_1_2]
                if a_key_1 == a_key_1_2:
                    if out_keys_1_count == out_keys_1.size:
                        out_keys_1 = grow(out_keys_1)
                    out_keys_1[out_keys_1_count] = max(a_key_1, a_key_1_2)
                    out_keys_1_count = out_keys_1_count + 1
                    if out_values_0_count == out_values_0.size:
                        out_values_0 = grow(out_values_0)
                    out_values_0[out_values_0_count] = 1
                    out_values_0_count = out_values_0_count + 1
                    a_at_1 = a_at_1 + 1
                    a_at_1_2 = a_at_1_2 + 1
                else:
                    index = max(a_key_1, a_key_1_2)
                    a_at_1 = adaptive(a_keys_1, a_at_1, a_start_1, index, False)
                    a_at_1_2 = adaptive(a_keys_1, a_at_1_2, a_start_1_2, index, False)
            count = out_keys_1_count
            if out_starts_1_count == out_starts_1.size:
                out_starts_1 = grow(out_starts_1)
            out_starts_1[out_starts_1_count] = count
            out_starts_1_count = out_starts_1_count + 1
            a_at_0 = plus
            a_at_0_2 = plus_2
        else:
            index_2 = max(a_key_0, a_key_0_2)
            a_at_0 = adaptive(a_keys_0, a_at_0, a_keys_0.size, index_2, False)
            a_at_0_2 = adaptive(a_keys_0, a_at_0_2, a_keys_0.size, index_2, False)
    return (
        out_keys[:out_keys_count],
        out_starts_1[:out_starts_1_count],
        out_keys_1[:out_keys_1_count],
        out_values_0[:out_values_0_count],
    )
