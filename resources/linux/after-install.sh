# The udev rules came with the package: load them, and apply them to boards that are plugged in already.
if hash udevadm 2>/dev/null; then
    udevadm control --reload-rules || true
    udevadm trigger --subsystem-match=usb --subsystem-match=tty || true
fi
