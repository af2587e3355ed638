package zz_types_pkg;
  typedef logic [15:0] sample_t;
  typedef struct packed {
    sample_t left;
    sample_t right;
  } frame_t;
  parameter int DEPTH = 32;
endpackage
