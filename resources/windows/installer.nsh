; Our part of the installer for Windows; electron-builder has the rest.

; Uninstalling keeps the data of the bench unless the person chooses otherwise, or --delete-app-data is given. The
; bench is in %LOCALAPPDATA% of the person, also where the application is installed for everybody.
!macro customUnInstall
  ${ifNot} ${isUpdated}
    ${GetParameters} $R0
    ClearErrors
    ${GetOptions} $R0 "--delete-app-data" $R1
    IfErrors 0 deleteBenchData
    MessageBox MB_YESNO|MB_ICONQUESTION|MB_DEFBUTTON2 \
      "Delete your designs, jobs, logs and settings as well?$\r$\n$\r$\nChoose No to keep them for a later installation." \
      /SD IDNO IDYES deleteBenchData
    Goto keepBenchData
    deleteBenchData:
      SetShellVarContext current
      RMDir /r "$LOCALAPPDATA\${PRODUCT_NAME}"
      RMDir /r "$APPDATA\${PRODUCT_NAME}"
      ${if} $installMode == "all"
        SetShellVarContext all
      ${endif}
    keepBenchData:

    ; Electron's setAsDefaultProtocolClient writes this for each person at each start. Another copy, such as the zip, may
    ; have written its own since.
    ReadRegStr $R0 HKCU "Software\Classes\wishbench\shell\open\command" ""
    StrLen $R1 '"$INSTDIR\'
    StrCpy $R0 $R0 $R1
    ${if} $R0 == '"$INSTDIR\'
      DeleteRegKey HKCU "Software\Classes\wishbench"
    ${endif}
  ${endif}
!macroend
