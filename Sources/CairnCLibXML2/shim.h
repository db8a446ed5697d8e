#include <libxml/xmlversion.h>
// Debian's libxml2 is built with ICU, and its headers then include ICU's headers, which conflict with
// the ICU headers in Swift's Foundation. None of the functions that Cairn calls uses ICU. The only
// structure that differs without ICU, xmlCharEncodingHandler, is never accessed.
#undef LIBXML_ICU_ENABLED
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>

// libxml2 prints an error to standard error unless the thread has an error handler. The handlers of a
// parser are not enough, because they do not receive the errors of encodings. Cairn asks the parser for
// its error afterwards, so the thread's handlers do nothing.
typedef struct {
    xmlStructuredErrorFunc structured;
    void *structuredContext;
    xmlGenericErrorFunc generic;
    void *genericContext;
} cairn_xml_error_handlers;

static inline void cairn_xml_ignore_structured_error(void *context, xmlErrorPtr error) {
    (void)context;
    (void)error;
}

static inline void cairn_xml_ignore_generic_error(void *context, const char *message, ...) {
    (void)context;
    (void)message;
}

// Prevents libxml2 from printing errors of this thread. Returns the handlers that the program had set.
// Pass them to cairn_xml_restore_errors() afterwards.
static inline cairn_xml_error_handlers cairn_xml_silence_errors(void) {
    cairn_xml_error_handlers previous = {
        xmlStructuredError, xmlStructuredErrorContext, xmlGenericError, xmlGenericErrorContext};
    xmlSetStructuredErrorFunc(NULL, (xmlStructuredErrorFunc)cairn_xml_ignore_structured_error);
    xmlSetGenericErrorFunc(NULL, cairn_xml_ignore_generic_error);
    return previous;
}

static inline void cairn_xml_restore_errors(cairn_xml_error_handlers previous) {
    xmlSetStructuredErrorFunc(previous.structuredContext, previous.structured);
    xmlSetGenericErrorFunc(previous.genericContext, previous.generic);
}
