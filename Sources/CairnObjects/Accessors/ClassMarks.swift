import Synchronization
@_spi(Reflection) import Swift

/// The properties that a class and its superclasses declare with ``Managed``.
package struct ClassMarks: Sendable {
    /// One property that is declared with ``Managed``.
    package struct Mark: Sendable {
        package let name: String
        /// The offset of the mark in an object, in bytes.
        let offset: Int
        @usableFromInline package let type: any ManagedProperty.Type
    }

    /// The marks in source order. Those of superclasses come first.
    package let marks: [Mark]

    /// The marks of the classes that were looked up before. Reflecting a class takes microseconds.
    private static let known = Mutex<[ObjectIdentifier: ClassMarks]>([:])

    /// Returns the marks of a class.
    package static func of(_ objectClass: ManagedObject.Type) -> ClassMarks {
        known.withLock { known in
            let key = ObjectIdentifier(objectClass)
            if let found = known[key] { return found }
            let found = ClassMarks(reflecting: objectClass)
            known[key] = found
            return found
        }
    }

    /// Finds the class's stored properties by the standard library's reflection. The mark of the property
    /// `name` is stored as `_name`.
    private init(reflecting objectClass: ManagedObject.Type) {
        var marks: [Mark] = []
        let modelNames = objectClass.modelNames
        // `.classType`. Swift 6 does not allow its use, because it is declared as a `var`.
        let options = _EachFieldOptions(rawValue: 1)
        _ = _forEachField(of: objectClass, options: options) { name, offset, type, _ in
            if let mark = type as? any PropertyMark.Type {
                let name = String(String(cString: name).dropFirst())
                marks.append(
                    Mark(name: modelNames[name] ?? name, offset: offset, type: mark.property))
            }
            return true
        }
        self.marks = marks
    }
}

/// The protocol by which reflection recognizes a ``Managed`` property.
private protocol PropertyMark {
    static var property: any ManagedProperty.Type { get }
}

extension Managed: PropertyMark {
    fileprivate static var property: any ManagedProperty.Type { Value.self }
}
