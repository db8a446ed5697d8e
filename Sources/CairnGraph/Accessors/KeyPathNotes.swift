import CairnModel

/// The record of the properties that are read from a probe object. A probe object exists only to find out to
/// which property a key path leads.
final class KeyPathNotes {
    /// A property that was read.
    struct Step {
        let name: String
        /// The key path from the object that has the property to the property.
        let path: AnyKeyPath
    }

    /// The properties, in the order in which they were read.
    private(set) var steps: [Step] = []
    private let destination: (Relationship, KeyPathNotes) -> ManagedObject?

    /// - Parameter destination: creates a probe object for the destination of a to-one relationship. It must
    ///   record reads in the same notes.
    init(destination: @escaping (Relationship, KeyPathNotes) -> ManagedObject?) {
        self.destination = destination
    }

    /// Records that a property was read, and returns an arbitrary value.
    func value<Value: ManagedProperty>(of property: PropertyBinding, _ path: AnyKeyPath) -> Value {
        switch property {
        case .attribute(let binding):
            steps.append(Step(name: binding.name, path: path))
        case .relationship(let binding):
            steps.append(Step(name: binding.name, path: path))
            if !binding.isToMany {
                return Value.probeValue(destination(binding.relationship, self))
            }
        case .fetchedProperty: break
        }
        return Value.probeValue(nil)
    }
}
