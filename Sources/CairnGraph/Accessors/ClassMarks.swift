import Synchronization
@_spi(Reflection) import Swift

/// The properties that a class marks with ``Managed``, including inherited ones.
struct ClassMarks: Sendable {
    /// One marked property.
    struct Mark: Sendable {
        let name: String
        /// The offset of the mark in an object, in bytes.
        let offset: Int
        let type: any ManagedProperty.Type
    }

    /// The marks in the order of the source, beginning with those of superclasses.
    let marks: [Mark]

    /// The marks of each class. They are looked up only once per class, because reflection takes
    /// microseconds.
    private static let known = Mutex<[ObjectIdentifier: ClassMarks]>([:])

    /// Returns the marks of a class.
    static func of(_ objectClass: ManagedObject.Type) -> ClassMarks {
        known.withLock { known in
            let key = ObjectIdentifier(objectClass)
            if let found = known[key] { return found }
            let found = ClassMarks(reflecting: objectClass)
            known[key] = found
            return found
        }
    }

    /// Finds the stored properties of the class with the standard library's reflection. The mark of the
    /// property `name` is stored as `_name`.
    private init(reflecting objectClass: ManagedObject.Type) {
        var marks: [Mark] = []
        let modelNames = objectClass.modelNames
        // `.classType`, which Swift 6 refuses because it is declared as a variable.
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
