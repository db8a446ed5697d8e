import CairnModel

/// The objects that a fetch found. Each object is created when it is first used. It is then kept, unless
/// the request has a batch size.
///
/// The collection does not change when objects change. Like its objects, it belongs to the context.
public struct FetchResults<Element: ManagedObject>: RandomAccessCollection {
    private let storage: FetchStorage

    init(_ storage: FetchStorage) {
        self.storage = storage
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of matches.
    public var endIndex: Int { storage.count }

    /// The object at a position.
    ///
    /// - Precondition: The position is a valid index of the collection.
    public subscript(position: Int) -> Element {
        cast(storage.object(at: position))
    }

    @inline(__always) private func cast(_ object: ManagedObject) -> Element {
        if type(of: object) == Element.self { return unsafeDowncast(object, to: Element.self) }
        guard let element = object as? Element else {
            // The fetch has checked the entity's class. Only an object that was created before its class
            // was registered can have another class.
            preconditionFailure(
                "the object \(object.objectID) was created before the class \(Element.self) was registered"
            )
        }
        return element
    }

    /// Returns all objects as an array. Faster than accessing them one by one, because shared look-ups
    /// happen once.
    func all() -> [Element] {
        let expected = ObjectIdentifier(Element.self)
        // The standard library would write a count of 0 into the storage that all empty arrays share.
        if isEmpty { return [] }
        return Array(unsafeUninitializedCapacity: count) { buffer, made in
            guard let start = buffer.baseAddress else { return }
            // The elements are written as references to `ManagedObject`. Appending elements of a class
            // that is only known at run time costs as much as creating the objects.
            let elements = UnsafeMutableRawPointer(start).assumingMemoryBound(
                to: ManagedObject.self)
            storage.forEach { object in
                if ObjectIdentifier(type(of: object)) != expected { _ = cast(object) }
                (elements + made).initialize(to: object)
                made += 1
            }
        }
    }

    /// The IDs of all matches. Does not create objects.
    public var objectIDs: [ObjectID] { (0..<storage.count).map(storage.id(at:)) }
}
