import CairnModel

/// What an object notes that is made only to learn which property a key path leads to.
final class KeyPathNotes {
    /// A property that was read.
    struct Step {
        let name: String
        /// The key path of the property, from its own object.
        let path: AnyKeyPath
    }

    /// In the order in which they were read.
    private(set) var steps: [Step] = []
    private let destination: (Relationship, KeyPathNotes) -> ManagedObject?

    /// - Parameter destination: makes an object that a to-one leads to, which notes what is read of it in
    ///   the same notes.
    init(destination: @escaping (Relationship, KeyPathNotes) -> ManagedObject?) {
        self.destination = destination
    }

    /// Notes that a property is read, and returns some value.
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
