import CairnModel
import Observation

/// What the Observation framework has to know of one context's objects.
///
/// Has a registrar for each object that was asked for a value, and takes it out when the object
/// goes: objects themselves have no byte for it. Used in the context's turns only.
final class ObservedObjects {
    private typealias Path = KeyPath<ManagedObject, Value>

    private var registrars: [ObjectIdentifier: ObservationRegistrar] = [:]
    /// The framework identifies properties by key paths, which are expensive to create, so one key path
    /// per slot serves all objects. The arrays are indexed by slot number. An element is `nil` until
    /// the property of an object is first used.
    private var rowPaths: [Path?] = []
    private var objectPaths: [Path?] = []

    /// How many objects there is a registrar for.
    var count: Int { registrars.count }

    /// Notes that a property is read: by whom, the framework knows.
    func noteRead(of storage: PropertySlot, _ object: ManagedObject) {
        guard let path = path(of: storage) else { return }
        registrar(of: object).access(object, keyPath: path)
    }

    /// Tells who reads a property that it is about to get another value.
    func willChange(_ storage: PropertySlot, of object: ManagedObject) {
        guard let registrar = registrars[ObjectIdentifier(object)], let path = path(of: storage)
        else { return }
        registrar.willSet(object, keyPath: path)
    }

    /// Tells who reads a property that it has another value.
    func didChange(_ storage: PropertySlot, of object: ManagedObject) {
        guard let registrar = registrars[ObjectIdentifier(object)], let path = path(of: storage)
        else { return }
        registrar.didSet(object, keyPath: path)
    }

    /// Forgets an object that goes.
    func forget(_ object: ManagedObject) {
        registrars[ObjectIdentifier(object)] = nil
    }

    private func registrar(of object: ManagedObject) -> ObservationRegistrar {
        if let known = registrars[ObjectIdentifier(object)] { return known }
        let new = ObservationRegistrar()
        registrars[ObjectIdentifier(object)] = new
        return new
    }

    /// nil for a fetched property, which has no value to observe.
    private func path(of storage: PropertySlot) -> Path? {
        switch storage {
        case .row(let slot): Self.path(of: storage, at: slot.index, in: &rowPaths)
        case .object(let slot): Self.path(of: storage, at: slot.index, in: &objectPaths)
        case .none: nil
        }
    }

    private static func path(
        of storage: PropertySlot, at index: Int, in paths: inout [Path?]
    ) -> Path {
        if index < paths.count, let known = paths[index] { return known }
        while paths.count <= index { paths.append(nil) }
        let new = \ManagedObject[observed: storage]
        paths[index] = new
        return new
    }
}
