// A web page as text to read: tags go, blocks become lines, links keep their address, scripts and
// styles vanish. It is no parser of HTML, and what it makes of a broken page is still only text.
#pragma once

#include <string>
#include <string_view>

namespace rouse {

std::string html_text(std::string_view html);

}  // namespace rouse
