import CairnCLibXML2
import Foundation

/// Parses XML with the SAX2 interface of libxml2.
///
/// The handler decides which DOCTYPE a document may have. The DOCTYPE must not contain declarations, the
/// document must not refer to entities other than XML's own, nothing is ever fetched, and libxml2's limits
/// remain active (no `XML_PARSE_HUGE`, `NOENT`, `DTDLOAD` or `RECOVER`).
package class SAXParser {
    /// How a document is passed to libxml2. This affects the wording of some of its error messages.
    package enum Size {
        /// libxml2 requests a few thousand bytes at a time. A reference to an entity that is not XML's own
        /// ends parsing before libxml2 reports that the entity is undefined.
        case large
        /// libxml2 receives the whole document at once.
        case small
    }

    private let size: Size
    // Exclusivity is unchecked, because the library makes one call at a time, and the handler makes none. The
    // checks would take a twentieth of the time for opening an XML store.

    @exclusivity(unchecked) private var failure: XMLDamage?
    @exclusivity(unchecked) private var parser: xmlParserCtxtPtr?

    fileprivate init(_ size: Size) { self.size = size }

    /// Parses a document.
    ///
    /// - Throws: An error if the document is not well-formed or refers to an entity that is not XML's own, or
    ///   the error that the handler throws.
    package static func parse<Handler: SAXHandler>(
        _ bytes: [UInt8], into handler: inout Handler, _ size: Size = .large
    ) throws(XMLDamage) {
        let reader = HandlerParser(handler, size)
        let failure = reader.run(bytes)
        handler = reader.handler
        if let failure = reader.failure ?? failure { throw failure }
    }

    /// The bytes that the library has not requested yet.
    private struct Rest {
        var bytes: UnsafeRawBufferPointer

        mutating func move(to buffer: UnsafeMutableRawBufferPointer) -> Int {
            let piece = bytes.prefix(buffer.count)
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: piece))
            bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(piece.count))
            return piece.count
        }
    }

    private func run(_ bytes: [UInt8]) -> XMLDamage? {
        bytes.withUnsafeBytes { bytes in
            switch size {
            case .small: return parse(bytes)
            case .large:
                var rest = Rest(bytes: bytes)
                // The library requests bytes. If it is instead given bytes in chunks, it searches for the end
                // of each tag before it parses the tag, which takes a tenth more time.
                return withUnsafeMutablePointer(to: &rest, parse(reading:))
            }
        }
    }

    private func parse(reading rest: UnsafeMutablePointer<Rest>) -> XMLDamage? {
        var calls = Self.calls
        // `rest` outlives the parser, because the caller holds it.
        let make = { (context: UnsafeMutableRawPointer) in
            xmlCreateIOParserCtxt(
                &calls, context,
                { rest, buffer, count in
                    guard let rest, let buffer, count > 0 else { return 0 }
                    let room = UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))
                    return Int32(rest.assumingMemoryBound(to: Rest.self).pointee.move(to: room))
                }, nil, rest, XML_CHAR_ENCODING_NONE)
        }
        return withParser(make) { xmlParseDocument($0) }
    }

    private func parse(_ bytes: UnsafeRawBufferPointer) -> XMLDamage? {
        var calls = Self.calls
        (calls.getEntity, calls.reference) = (nil, nil)
        let make = { (context: UnsafeMutableRawPointer) in
            xmlCreatePushParserCtxt(&calls, context, nil, 0, nil)
        }
        return withParser(make) { parser in
            xmlParseChunk(
                parser, bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count), 1)
        }
    }

    /// - Parameter run: Parses the whole document. Returns 0 if libxml2 finds no error.
    private func withParser(
        _ make: (UnsafeMutableRawPointer) -> xmlParserCtxtPtr?, _ run: (xmlParserCtxtPtr) -> Int32
    ) -> XMLDamage? {
        let handlers = cairn_xml_silence_errors()
        defer { cairn_xml_restore_errors(handlers) }
        // `self` outlives the parser, because the caller holds it.
        guard let parser = make(Unmanaged.passUnretained(self).toOpaque()) else {
            return XMLDamage(line: 1, detail: "libxml2 could not create a parser: out of memory")
        }
        defer { xmlFreeParserCtxt(parser) }
        self.parser = parser
        defer { self.parser = nil }
        xmlCtxtUseOptions(parser, Int32(XML_PARSE_NONET.rawValue))
        let isWhole = run(parser) == 0 && failure == nil
        return isWhole && parser.pointee.wellFormed == 1 ? nil : libraryFailure(parser)
    }

    private func libraryFailure(_ parser: xmlParserCtxtPtr) -> XMLDamage {
        guard let error = xmlCtxtGetLastError(parser) else {
            return XMLDamage(line: 1, detail: "the XML is not well-formed")
        }
        let message = error.pointee.message.map { String(cString: $0) } ?? ""
        return XMLDamage(
            line: Int(error.pointee.line),
            detail: "the XML is not well-formed: "
                + message.split(whereSeparator: \.isNewline).joined(separator: " "))
    }

    // MARK: Calls from the library

    /// The functions for libxml2 to call. All others are nil, and libxml2 skips them.
    private static var calls: xmlSAXHandler {
        var calls = xmlSAXHandler()
        calls.initialized = 0xDEED_BEAF  // XML_SAX2_MAGIC
        calls.internalSubset = { context, name, publicID, systemID in
            SAXParser.with(context) { $0.checkDocumentType(name, publicID, systemID) }
        }
        calls.entityDecl = { context, _, _, _, _, _ in
            SAXParser.with(context) { $0.refuseDeclaration() }
        }
        calls.attributeDecl = { context, _, _, _, _, _, tree in
            xmlFreeEnumeration(tree)
            SAXParser.with(context) { $0.refuseDeclaration() }
        }
        calls.elementDecl = { context, _, _, _ in
            SAXParser.with(context) { $0.refuseDeclaration() }
        }
        calls.notationDecl = { context, _, _, _ in
            SAXParser.with(context) { $0.refuseDeclaration() }
        }
        calls.unparsedEntityDecl = { context, _, _, _, _ in
            SAXParser.with(context) { $0.refuseDeclaration() }
        }
        calls.getEntity = { context, _ in
            SAXParser.with(context) { $0.stop(SAXParser.foreignEntity) }
            return nil
        }
        calls.reference = { context, _ in
            SAXParser.with(context) { $0.stop(SAXParser.foreignEntity) }
        }
        calls.startElementNs = { context, name, _, _, _, _, count, _, attributes in
            SAXParser.with(context) { $0.begin(name, Int(count), attributes) }
        }
        calls.endElementNs = { context, _, _, _ in SAXParser.with(context) { $0.end() } }
        calls.characters = { context, text, count in
            SAXParser.with(context) { $0.text(text, count) }
        }
        // With the same function, libxml2 does not search for white space that it could leave out.
        calls.ignorableWhitespace = calls.characters
        calls.cdataBlock = calls.characters
        return calls
    }

    /// Does not retain the object, because the caller of the parser holds it.
    @inline(__always) private static func with(
        _ context: UnsafeMutableRawPointer?, _ body: (SAXParser) -> Void
    ) {
        guard let context else { return }
        Unmanaged<SAXParser>.fromOpaque(context)._withUnsafeGuaranteedRef(body)
    }

    private var line: Int { parser?.pointee.input.map { Int($0.pointee.line) } ?? 0 }

    private func stop(_ detail: String) { stop(XMLDamage(line: line, detail: detail)) }

    private func stop(_ damage: XMLDamage) {
        if failure == nil { failure = damage }
        if let parser { xmlStopParser(parser) }
    }

    private func checkDocumentType(
        _ name: UnsafePointer<xmlChar>?, _ publicID: UnsafePointer<xmlChar>?,
        _ systemID: UnsafePointer<xmlChar>?
    ) {
        guard failure == nil else { return }
        let type = SAXDocumentType(
            name: name.map { String(cString: $0) }, publicID: publicID.map { String(cString: $0) },
            systemID: systemID.map { String(cString: $0) })
        do {
            try pass(type, line: line)
        } catch {
            stop(error)
        }
    }

    private static let foreignEntity = "the document uses an entity that XML itself does not define"

    private func refuseDeclaration() { stop("the DOCTYPE contains a declaration") }

    private func begin(
        _ name: UnsafePointer<xmlChar>?, _ count: Int,
        _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    ) {
        guard failure == nil, let name else { return }
        do {
            try pass(
                SAXName(start: name), SAXAttributes(pointers: attributes, count: count),
                line: line)
        } catch {
            stop(error)
        }
    }

    private func text(_ text: UnsafePointer<xmlChar>?, _ count: Int32) {
        guard failure == nil, let text else { return }
        pass(UnsafeBufferPointer(start: text, count: Int(count)))
    }

    private func end() {
        guard failure == nil else { return }
        do {
            try passEnd(line: line)
        } catch {
            stop(error)
        }
    }

    // MARK: Calls to the handler

    fileprivate func pass(_ type: SAXDocumentType, line: Int) throws(XMLDamage) {}
    fileprivate func pass(
        _ name: SAXName, _ attributes: SAXAttributes, line: Int
    ) throws(XMLDamage) {}
    fileprivate func pass(_ text: UnsafeBufferPointer<UInt8>) {}
    fileprivate func passEnd(line: Int) throws(XMLDamage) {}
}

/// A parser with its handler. The library's calls arrive at the superclass, because a C function cannot be
/// generic. With a handler of type `any SAXHandler`, each call would first check whether its value is shared.
private final class HandlerParser<Handler: SAXHandler>: SAXParser {
    @exclusivity(unchecked) var handler: Handler

    init(_ handler: Handler, _ size: Size) {
        self.handler = handler
        super.init(size)
    }

    override func pass(_ type: SAXDocumentType, line: Int) throws(XMLDamage) {
        try handler.documentType(type, line: line)
    }

    override func pass(
        _ name: SAXName, _ attributes: SAXAttributes, line: Int
    ) throws(XMLDamage) {
        try handler.begin(name, attributes, line: line)
    }

    override func pass(_ text: UnsafeBufferPointer<UInt8>) { handler.text(text) }

    override func passEnd(line: Int) throws(XMLDamage) { try handler.end(line: line) }
}

/// Receives the parts of a document in order. If it throws an error, parsing ends.
///
/// Names, attributes and bytes are in the memory of the parser and are valid only until the call returns.
///
/// A handler is a value type, and the parser owns it while a document is parsed. Therefore, exclusive access
/// only needs to be checked in the parser, once for each part.
package protocol SAXHandler {
    /// Checks the document's DOCTYPE, if it has one.
    mutating func documentType(_ type: SAXDocumentType, line: Int) throws(XMLDamage)
    mutating func begin(_ name: SAXName, _ attributes: SAXAttributes, line: Int) throws(XMLDamage)
    mutating func text(_ bytes: UnsafeBufferPointer<UInt8>)
    mutating func end(line: Int) throws(XMLDamage)
}

/// The DOCTYPE of a document.
package struct SAXDocumentType {
    /// The name of the root element.
    package let name: String?
    package let publicID: String?
    package let systemID: String?
}

/// An error in a document, with its line.
package struct XMLDamage: Error {
    package var line: Int
    package var detail: String
    /// If the document is valid but is not of the expected kind, the kind that it is.
    package var otherKind: String?

    package init(line: Int, detail: String, otherKind: String? = nil) {
        self.line = line
        self.detail = detail
        self.otherKind = otherKind
    }
}
