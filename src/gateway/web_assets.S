/* The packed web app, as web/build.sh wrote it. */
    .section .rodata
    .global rouse_web_assets_begin
    .hidden rouse_web_assets_begin
    .balign 16
rouse_web_assets_begin:
    .incbin "web_assets.bin"
    .byte 0
    .section .note.GNU-stack,"",@progbits
