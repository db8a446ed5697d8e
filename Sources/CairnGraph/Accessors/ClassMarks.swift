import Synchronization
@_spi(Reflection) import Swift

/// The properties that a class marks with ``Managed``, its own and those that it inherits.
struct ClassMarks: Sendable {
    /// One marked property.
    struct Mark: Sendable {
        let name: String
        /// Where the mark is in an object, in bytes.
        let offset: Int
        let type: any ManagedProperty.Type
    }

    /// In the order of the class's source, those of superclasses first.
    let marks: [Mark]

    /// Found once for each class, because reflection takes microseconds.
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

    /// Asks the standard library's reflection for the stored properties of the class. The mark of `name` is
    /// stored as `_name`.
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
