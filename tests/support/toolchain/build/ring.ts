import { slave } from './support.ts';

/** A ring oscillator that runs during an access, in line 5. Tests of its build and of its run share one build. */
export const RING = {
  filename: 'ring.v',
  source: slave(
    '  (* keep *) wire r; assign r = ~(r & wb_cyc); reg [31:0] n = 0; always @(posedge clk) n <= {n, r}; assign wb_dat_r = n;',
  ),
};
