import Foundation
import CairnCLibXML2

/// A name of an element or attribute.
struct SAXName {
    let start: UnsafePointer<xmlChar>

    var text: String { String(cString: start) }

    /// Most names that are compared differ in their first byte.
    @inline(__always) static func == (left: SAXName, right: StaticString) -> Bool {
        left.start[0] == right.utf8Start[0] && strcmp(left.start, right.utf8Start) == 0
    }
}
