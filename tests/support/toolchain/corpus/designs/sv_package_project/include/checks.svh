`define CHECK_RANGE(value, low, high) \
  if ((value) < (low) || (value) > (high)) begin : g_out_of_range \
    $fatal(1, "out of range"); \
  end
