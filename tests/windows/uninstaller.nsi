; Runs what our part of the uninstaller does, in a program of its own: the whole installer needs electron-builder's
; plugins, which are fetched from the internet. INSTALLER is the path of resources/windows/installer.nsh.
; Wine has no 32-bit half where only wine64 is installed.
Target amd64-unicode
Unicode true
Name "uninstaller"
RequestExecutionLevel user
!include LogicLib.nsh
!include FileFunc.nsh
!define PRODUCT_NAME "Wishbench Uninstalled"
Var installMode
Var updated
!define isUpdated `$updated == "1"`
!include "${INSTALLER}"

Section
  ${GetParameters} $R0
  ClearErrors
  ${GetOptions} $R0 "--updated" $R1
  ${ifNot} ${Errors}
    StrCpy $updated 1
  ${endif}
  StrCpy $installMode "all"
  StrCpy $INSTDIR "C:\w\Wishbench Uninstalled"
  !insertmacro customUnInstall
SectionEnd
