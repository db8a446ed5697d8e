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
    private let destination: (Entity, KeyPathNotes) -> ManagedObject?

    /// - Parameter destination: Creates the destination of a to-one relationship or reference, an object of the
    ///   entity. The new object records its reads in the same notes.
    package init(destination: @escaping (Entity, KeyPathNotes) -> ManagedObject?) {
        self.destination = destination
    }

    /// Records that a property is read, and returns an arbitrary value.
    func value<Value: ManagedProperty>(of property: PropertyBinding, _ path: AnyKeyPath) -> Value {
        switch property {
        case .attribute(let binding):
            steps.append(Step(name: binding.name, path: path))
            if let lookup = binding.reference {
                return Value._probeValue(destination(lookup.target.entity, self))
            }
        case .relationship(let binding):
            steps.append(Step(name: binding.name, path: path))
            if !binding.isToMany {
                return Value._probeValue(destination(binding.relationship.destination, self))
            }
        case .fetchedProperty: break
        }
        return Value._probeValue(nil)
    }
}
