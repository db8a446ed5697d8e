import CairnModel
import Observation

/// The registrations of the Observation framework for the objects of one context.
///
/// There is one registrar for each object whose values were read. It is removed when the object is
/// deallocated. Registrars are kept here because objects have no room for them. Used in the context's
/// turns only.
final class ObservedObjects {
    private typealias Path = KeyPath<ManagedObject, Value>

    private var registrars: [ObjectIdentifier: ObservationRegistrar] = [:]
    /// The framework identifies properties by key paths. They are expensive to create, so all objects
    /// share one key path per slot. The arrays are indexed by slot number. An element is `nil` until the
    /// property is first used.
    private var rowPaths: [Path?] = []
    private var objectPaths: [Path?] = []

    /// The number of objects that have a registrar.
    var count: Int { registrars.count }

    /// Notes the read of a property. The framework itself finds out which code reads it.
    func noteRead(of storage: PropertySlot, _ object: ManagedObject) {
        guard let path = path(of: storage) else { return }
        registrar(of: object).access(object, keyPath: path)
    }

    /// Notifies observers of a property that its value is about to change.
    func willChange(_ storage: PropertySlot, of object: ManagedObject) {
        guard let registrar = registrars[ObjectIdentifier(object)], let path = path(of: storage)
        else { return }
        registrar.willSet(object, keyPath: path)
    }

    /// Notifies observers of a property that its value has changed.
    func didChange(_ storage: PropertySlot, of object: ManagedObject) {
        guard let registrar = registrars[ObjectIdentifier(object)], let path = path(of: storage)
        else { return }
        registrar.didSet(object, keyPath: path)
    }

    /// Removes the registrar of an object that is being deallocated.
    func forget(_ object: ManagedObject) {
        registrars[ObjectIdentifier(object)] = nil
    }

    private func registrar(of object: ManagedObject) -> ObservationRegistrar {
        if let known = registrars[ObjectIdentifier(object)] { return known }
        let new = ObservationRegistrar()
        registrars[ObjectIdentifier(object)] = new
        return new
    }

    /// Returns `nil` for a fetched property, which has no value to observe.
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
