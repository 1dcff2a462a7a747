# Compile options shared by every target of this project; never exported to consumers.
add_library(cyclotome_options INTERFACE)
target_compile_options(
  cyclotome_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
                              -Woverloaded-virtual -Wcast-align -Wimplicit-fallthrough -Wundef -Wvla)
if(CYCLOTOME_WERROR)
  target_compile_options(cyclotome_options INTERFACE -Werror)
endif()

if(CYCLOTOME_SANITIZE)
  set(sanitize "-fsanitize=${CYCLOTOME_SANITIZE}")
  target_compile_options(cyclotome_options INTERFACE ${sanitize} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(cyclotome_options INTERFACE ${sanitize})
endif()
