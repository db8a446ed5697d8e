import CairnModel
import CairnStore

/// Declares a property of a class of managed objects. The property has the same name in the model, and is
/// checked against it.
///
/// ```swift
/// final class Author: ManagedObject {
///     @Managed var name: String
///     @Managed var born: Date?
///     @Managed var editor: Author?
///     @Managed var books: Members<Book>
/// }
/// ```
///
/// When a context first needs the class, each name and type is compared with the entity: see
/// ``ManagedProperty`` for the types that fit. A class that does not fit is refused with
/// ``GraphError/classDoesNotFit(_:)``, which lists every mistake.
///
/// A value is read as fast as by ``ClassSlot``: the compiler turns the property into the offset of its mark in
/// the object, and that offset is the slot. The marks make an object larger: by 16 bytes for up to 17
/// properties, and by 16 for each 16 more.
@propertyWrapper @frozen public struct Managed<Value: ManagedProperty> {
    /// The mark. Only its offset in the object is used.
    @usableFromInline let mark: UInt8 = 0

    /// Creates a property.
    @inlinable public init() {}

    /// Only properties of classes of managed objects can be marked.
    @available(*, unavailable, message: "@Managed is for properties of subclasses of ManagedObject")
    public var wrappedValue: Value {
        get { fatalError("only the subscript is called") }
        set { fatalError("only the subscript is called, not with \(newValue)") }
    }

    /// The property of an object. The compiler calls this for each access.
    ///
    /// Reads and writes as ``ManagedProperty`` describes. A failure is reported to
    /// ``ManagedObjectContext/faultFailureHandler``.
    ///
    /// - Parameters:
    ///   - path: the key path of the property itself. It is created only when a predicate is translated.
    ///   - mark: the key path of the property's mark.
    public static subscript<Object: ManagedObject>(
        _enclosingInstance object: Object,
        wrapped path: @autoclosure () -> ReferenceWritableKeyPath<Object, Value>,
        storage mark: ReferenceWritableKeyPath<Object, Managed<Value>>
    ) -> Value {
        @inlinable @inline(__always) get {
            let slot = ClassSlot.of(mark, in: object)
            if let value = Value.quickValue(of: object, at: slot) { return value }
            return object.generalMarkedValue(at: slot) { path() }
        }
        @inlinable @inline(__always) set {
            Value.setValue(newValue, of: object, at: ClassSlot.of(mark, in: object))
        }
    }
}
