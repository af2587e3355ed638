-- Stopwatch in VHDL: counts clocks between a start and a stop. Needs ghdl on the machine of the bench.
--
--   0x0 CONTROL  r/w    bit 0 runs; bit 1 (write) sets the time to zero
--   0x4 TIME     read   clocks
--   0x8 LAPS     read   how often it has been stopped
--   0xC PRESET   r/w    a word of your own
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity stopwatch is
  port (
    wb_clk_i : in  std_logic;
    wb_rst_i : in  std_logic;
    wb_cyc_i : in  std_logic;
    wb_stb_i : in  std_logic;
    wb_we_i  : in  std_logic;
    wb_adr_i : in  std_logic_vector(3 downto 2);
    wb_dat_i : in  std_logic_vector(31 downto 0);
    wb_dat_o : out std_logic_vector(31 downto 0);
    wb_ack_o : out std_logic
  );
end entity;

architecture rtl of stopwatch is
  signal elapsed, laps, preset : unsigned(31 downto 0) := (others => '0');
  signal running, ack : std_logic := '0';
begin
  wb_ack_o <= ack;

  process (wb_clk_i)
    variable access_now : boolean;
  begin
    if rising_edge(wb_clk_i) then
      if wb_rst_i = '1' then
        ack      <= '0';
        running  <= '0';
        elapsed  <= (others => '0');
        laps     <= (others => '0');
        preset   <= (others => '0');
        wb_dat_o <= (others => '0');
      else
        access_now := wb_cyc_i = '1' and wb_stb_i = '1' and ack = '0';
        ack <= '0';
        if running = '1' then
          elapsed <= elapsed + 1;
        end if;
        if access_now then
          ack <= '1';
          case wb_adr_i is
            when "00"   => wb_dat_o <= (0 => running, others => '0');
            when "01"   => wb_dat_o <= std_logic_vector(elapsed);
            when "10"   => wb_dat_o <= std_logic_vector(laps);
            when others => wb_dat_o <= std_logic_vector(preset);
          end case;
          if wb_we_i = '1' then
            if wb_adr_i = "00" then
              running <= wb_dat_i(0);
              if running = '1' and wb_dat_i(0) = '0' then
                laps <= laps + 1;
              end if;
              if wb_dat_i(1) = '1' then
                elapsed <= (others => '0');
              end if;
            elsif wb_adr_i = "11" then
              preset <= unsigned(wb_dat_i);
            end if;
          end if;
        end if;
      end if;
    end if;
  end process;
end architecture;
