import CairnModel
import CairnStore

/// The objects that a fetch found, each made when it is first touched and kept from then on.
///
/// The answer itself does not change when objects do. Belongs to the context, as its objects do.
public struct FetchResults<Element: ManagedObject>: RandomAccessCollection {
    private let storage: FetchStorage

    init(_ storage: FetchStorage) {
        self.storage = storage
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// How many matches there are.
    public var endIndex: Int { storage.count }

    /// The object at a place.
    ///
    /// - Precondition: the place is one of the collection's.
    public subscript(position: Int) -> Element {
        cast(storage.object(at: position))
    }

    @inline(__always) private func cast(_ object: ManagedObject) -> Element {
        if type(of: object) == Element.self { return unsafeDowncast(object, to: Element.self) }
        guard let element = object as? Element else {
            // The fetch made sure of the entity's class; only an object that was made before its
            // class was registered can be of another one.
            preconditionFailure("\(object.objectID) was made before \(Element.self) was registered")
        }
        return element
    }

    /// All objects, for who wants them all: what touching each one looks up is looked up once.
    func all() -> [Element] {
        let expected = ObjectIdentifier(Element.self)
        return Array(unsafeUninitializedCapacity: count) { buffer, made in
            guard let start = buffer.baseAddress else { return }
            // An element is a reference to an object. Written as that: appending elements of a class
            // that is known at run time only costs as much as making the object does.
            let places = UnsafeMutableRawPointer(start).assumingMemoryBound(to: ManagedObject.self)
            storage.forEach { object in
                if ObjectIdentifier(type(of: object)) != expected { _ = cast(object) }
                (places + made).initialize(to: object)
                made += 1
            }
        }
    }

    /// The IDs of all matches; makes no object.
    public var objectIDs: [ObjectID] { (0..<storage.count).map(storage.id(at:)) }
}
