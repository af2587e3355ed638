# The guest after its first process: devices, network, udev, the USB/IP host controller; then it does as it is told.
# $1 is the Node that runs the tests, $2 a folder with udev in it where the host has none installed.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
# The host's files are seen through a chroot, in which udevadm would do nothing.
export SYSTEMD_IGNORE_CHROOT=1
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
ip() { /bin/busybox ip "$@"; }
ip link set lo up
interface=$(ls /sys/class/net | grep -v lo | head -1)
ip link set "$interface" up
ip addr add 10.0.2.15/24 dev "$interface"
# Into folders that are symbolic links on the host; names of hardware are a large part of it and nobody's need.
[ -z "$2" ] || tar -C "$2" -c --exclude=./lib/udev/hwdb.d . | tar -C / -x --keep-directory-symlink
# Rules for FTDI chips that the host happens to have, ours or those of other programs, would hide what their absence does.
grep -ls 6010 /etc/udev/rules.d/* /usr/lib/udev/rules.d/* /lib/udev/rules.d/* | xargs -r rm -f
udevd=/lib/systemd/systemd-udevd
[ -x $udevd ] || udevd=/usr/lib/systemd/systemd-udevd
$udevd --daemon
modprobe usbcore
modprobe vhci-hcd
modprobe ftdi_sio
udevadm settle
exec "$1" "$(dirname "$0")/agent.mjs"
