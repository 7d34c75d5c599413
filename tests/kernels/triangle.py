def fused(a_keys_0, a_starts_1, b_keys_0, a_keys_1, b_starts_1, c_keys_0, b_keys_1, c_starts_1):
    a_at_1 = 0
    total = 0
    while a_at_1 < a_keys_0.size:
        plus = a_at_1 + 1
        a_start_1 = a_starts_1[plus]
        a_at_1_2 = a_starts_1[a_at_1]
        b_at_0 = 0
        total_2 = 0
        while (a_at_1_2 < a_start_1) & (b_at_0 < b_keys_0.size):
            a_key_1 = a_keys_1[a_at_1_2]
            b_key_0 = b_keys_0[b_at_0]
            if a_key_1 == b_key_0:
                plus_2 = b_at_0 + 1
                b_start_1 = b_starts_1[plus_2]
                b_at_1 = b_starts_1[b_at_0]
                c_at_0 = 0
                total_3 = 0
                while (b_at_1 < b_start_1) & (c_at_0 < c_keys_0.size):
                    b_key_1 = b_keys_1[b_at_1]
                    c_key_0 = c_keys_0[c_at_0]
                    if b_key_1 == c_key_0:
                        plus_3 = c_at_0 + 1
                        c_start_1 = c_starts_1[plus_3]
                        q = c_starts_1[c_at_0]
                        total_4 = 0
                        while q < c_start_1:
                            q = q + 1
                            total_4 = total_4 + 1
                        b_at_1 = b_at_1 + 1
                        c_at_0 = plus_3
                        total_3 = add(total_3, total_4)
                    else:
                        index = max(b_key_1, c_key_0)
                        b_at_1 = adaptive(b_keys_1, b_at_1, b_start_1, index, False)
                        c_at_0 = adaptive(c_keys_0, c_at_0, c_keys_0.size, index, False)
                a_at_1_2 = a_at_1_2 + 1
                b_at_0 = plus_2
                total_2 = add(total_2, total_3)
            else:
                index_2 = max(a_key_1, b_key_0)
                a_at_1_2 = adaptive(a_keys_1, a_at_1_2, a_start_1, index_2, False)
                b_at_0 = adaptive(b_keys_0, b_at_0, b_keys_0.size, index_2, False)
        a_at_1 = plus
        total = add(total, total_2)
    return (total,)
