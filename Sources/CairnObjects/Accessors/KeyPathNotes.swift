import CairnModel

/// A record of the properties that are read of an object. The object is created only to find the properties
/// that a key path leads to.
@usableFromInline package final class KeyPathNotes {
    /// A property that was read.
    package struct Step {
        package let name: String
        /// The key path of the property, relative to the object that declares it.
        package let path: AnyKeyPath
    }

    /// The properties in the order in which they were read.
    package private(set) var steps: [Step] = []
    private let destination: (Relationship, KeyPathNotes) -> ManagedObject?

    /// - Parameter destination: Creates the destination of a to-one relationship. The new object records its
    ///   reads in the same notes.
    package init(destination: @escaping (Relationship, KeyPathNotes) -> ManagedObject?) {
        self.destination = destination
    }

    /// Records that a property is read, and returns an arbitrary value.
    func value<Value: ManagedProperty>(of property: PropertyBinding, _ path: AnyKeyPath) -> Value {
        switch property {
        case .attribute(let binding):
            steps.append(Step(name: binding.name, path: path))
        case .relationship(let binding):
            steps.append(Step(name: binding.name, path: path))
            if !binding.isToMany {
                return Value._probeValue(destination(binding.relationship, self))
            }
        case .fetchedProperty: break
        }
        return Value._probeValue(nil)
    }
}
