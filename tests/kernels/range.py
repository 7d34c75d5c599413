def fused():
    q = 0
    total = 0
    while q < 10:
        total = total + q % 5
        q = q + 1
    return (total,)
