# The udev rules went with the package.
if hash udevadm 2>/dev/null; then
    udevadm control --reload-rules || true
fi
