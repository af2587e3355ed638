"""Multiply-accumulate unit in Amaranth. Needs Python with amaranth, and a sandbox, on the machine of the bench.

  0x0 A      r/w    first factor, 16 bits
  0x4 B      r/w    second factor, 16 bits; writing adds A * B to SUM
  0x8 SUM    r/w    writing sets COUNT to zero
  0xC COUNT  read   products added since SUM was written
"""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

# A classic Wishbone bus as its master sees it. Amaranth names the ports of a design bus__cyc, bus__dat_w and
# so on, and its own bus definitions address words; the bench expects both.
Bus = wiring.Signature(
    {
        "cyc": Out(1),
        "stb": Out(1),
        "we": Out(1),
        "adr": Out(2),
        "dat_w": Out(32),
        "sel": Out(4),
        "dat_r": In(32),
        "ack": In(1),
    }
)


class Accumulator(wiring.Component):
    bus: In(Bus)

    def elaborate(self, platform):
        m = Module()
        a = Signal(16)
        b = Signal(16)
        total = Signal(32)
        count = Signal(32)

        access = Signal()
        m.d.comb += access.eq(self.bus.cyc & self.bus.stb & ~self.bus.ack)
        m.d.sync += self.bus.ack.eq(access)

        with m.Switch(self.bus.adr):
            for index, register in enumerate((a, b, total, count)):
                with m.Case(index):
                    m.d.sync += self.bus.dat_r.eq(register)

        with m.If(access & self.bus.we):
            with m.Switch(self.bus.adr):
                with m.Case(0):
                    m.d.sync += a.eq(self.bus.dat_w)
                with m.Case(1):
                    m.d.sync += [
                        b.eq(self.bus.dat_w),
                        total.eq(total + a * self.bus.dat_w[:16]),
                        count.eq(count + 1),
                    ]
                with m.Case(2):
                    m.d.sync += [total.eq(self.bus.dat_w), count.eq(0)]
        return m


# What the bench builds.
top = Accumulator()
