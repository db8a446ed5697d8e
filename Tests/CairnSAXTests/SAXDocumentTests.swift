import CairnSAX
import Testing

@Suite struct `Documents that are parsed` {
    /// Records the parts of a document. Refuses a DOCTYPE and an element named `no`.
    private struct Notes: SAXHandler {
        var parts: [String] = []

        mutating func documentType(_ type: SAXDocumentType, line: Int) throws(XMLDamage) {
            parts.append("type \(type.name ?? "-") \(type.systemID ?? "-")")
            if type.systemID == nil { throw XMLDamage(line: line, detail: "a DOCTYPE") }
        }

        mutating func begin(
            _ name: SAXName, _ attributes: SAXAttributes, line: Int
        ) throws(XMLDamage) {
            if name == "no" { throw XMLDamage(line: line, detail: "no") }
            let texts = attributes.texts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            parts.append(([name.text] + texts).joined(separator: " "))
            if let first = attributes["a"] { parts.append("a is \(first)") }
        }

        mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) {
            parts.append("“\(String(decoding: bytes, as: UTF8.self))”")
        }

        mutating func end(line: Int) { parts.append("end \(line)") }
    }

    private func read(
        _ text: String, _ size: SAXParser.Size
    ) -> (parts: [String], damage: XMLDamage?) {
        var notes = Notes()
        do throws(XMLDamage) {
            try SAXParser.parse(Array(text.utf8), into: &notes, size)
        } catch {
            return (notes.parts, error)
        }
        return (notes.parts, nil)
    }

    @Test(arguments: [SAXParser.Size.large, .small])
    func `report their parts in order`(_ size: SAXParser.Size) {
        let result = read("<x a='1 &amp; 2' b='&#38;#38;'>\n<y>t</y></x>", size)

        #expect(result.damage == nil)
        #expect(
            result.parts == [
                "x a=1 & 2 b=&#38;", "a is 1 & 2", "“\n”", "y", "“t”", "end 2", "end 2",
            ])
    }

    @Test(arguments: [SAXParser.Size.large, .small])
    func `end with the error that the handler throws`(_ size: SAXParser.Size) {
        let result = read("<x>\n<no/><y/></x>", size)

        #expect(result.damage?.line == 2)
        #expect(result.damage?.detail == "no")
        #expect(!result.parts.contains("y"))
    }

    @Test(arguments: [SAXParser.Size.large, .small])
    func `leave the DOCTYPE to the handler, and refuse declarations in it`(
        _ size: SAXParser.Size
    ) {
        let sound = read("<!DOCTYPE x SYSTEM 's'>\n<x/>", size)
        let refused = read("<!DOCTYPE x>\n<x/>", size)
        let declaring = read("<!DOCTYPE x SYSTEM 's' [<!ENTITY e 'f'>]>\n<x/>", size)

        #expect(sound.damage == nil)
        #expect(sound.parts.first == "type x s")
        #expect(refused.damage?.detail == "a DOCTYPE")
        #expect(declaring.damage?.detail == "the DOCTYPE contains a declaration")
    }

    @Test func `refuse entities that XML does not define`() {
        let large = read("<x>&e;</x>", .large)
        let small = read("<x>&e;</x>", .small)

        #expect(
            large.damage?.detail == "the document uses an entity that XML itself does not define")
        #expect(small.damage?.detail.contains("Entity 'e' not defined") == true)
    }

    @Test(arguments: [SAXParser.Size.large, .small], ["", "<x", "<x></y>", "<x/>junk"])
    func `are refused with the reason if they are not well-formed`(
        _ size: SAXParser.Size, _ text: String
    ) {
        let result = read(text, size)

        #expect(result.damage?.detail.hasPrefix("the XML is not well-formed: ") == true)
    }
}
