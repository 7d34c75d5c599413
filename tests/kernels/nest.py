def fused():
    q = 0
    total = 0
    while q < 9:
        q_2 = 0
        total_2 = 0
        while q_2 < 9:
            total_2 = total_2 + q_2 % 5
            q_2 = q_2 + 1
        q = q + 1
        total = add(total, total_2)
    return (total,)
