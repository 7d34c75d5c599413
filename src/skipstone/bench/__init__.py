"""`skipstone bench`: the paper's evaluation on your machine.

harness    how we measure: answers agree first, ways are timed in turns
hand       loops written by hand, the limit that fused code is held against
streams    the same problems as stream expressions
relations  the data of the triangle join
trees      ordered maps, streamed together or looked up one key at a time
lines      how long each way is, counted from its source
paper      the cases, and their tables
charts     the pictures
"""
