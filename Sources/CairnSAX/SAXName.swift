import CairnCLibXML2
import Foundation

/// The name of an element or attribute, in the memory of the parser.
package struct SAXName {
    @usableFromInline let start: UnsafePointer<xmlChar>

    @inlinable init(start: UnsafePointer<xmlChar>) { self.start = start }

    package var text: String { String(cString: start) }

    /// Compares the first bytes before calling `strcmp`, because most names already differ in them.
    @inlinable @inline(__always)
    package static func == (left: SAXName, right: StaticString) -> Bool {
        left.start[0] == right.utf8Start[0]
            && strcmp(
                UnsafeRawPointer(left.start).assumingMemoryBound(to: CChar.self),
                UnsafeRawPointer(right.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
    }
}
