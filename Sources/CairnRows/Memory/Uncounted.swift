/// An unowned reference without reference counting. Something else has to keep the object alive.
///
/// Counting a reference costs as much as reading a value, and two threads that count references to
/// the same object wait for each other. A debug build checks at each use that the object still
/// exists, and ends the program if it does not. A release build does not check.
@frozen public struct Uncounted<Object: AnyObject> {
    #if DEBUG
    @usableFromInline unowned let checked: Object
    #else
    @usableFromInline let reference: Unmanaged<Object>
    #endif

    /// Creates a reference to an object.
    @inlinable @inline(__always) public init(_ object: Object) {
        #if DEBUG
        checked = object
        #else
        reference = .passUnretained(object)
        #endif
    }

    /// Creates a reference from the address that ``pointer`` returned for the object.
    @inlinable @inline(__always) public init(pointer: UnsafeRawPointer) {
        self.init(Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue())
    }

    /// The address of the object.
    @inlinable @inline(__always) public var pointer: UnsafeRawPointer {
        withObject { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
    }

    /// The object, as a counted reference.
    @inlinable @inline(__always) public var object: Object {
        #if DEBUG
        checked
        #else
        reference.takeUnretainedValue()
        #endif
    }

    /// Passes the object to the body without counting a reference.
    ///
    /// - Precondition: something else keeps the object alive until the body returns.
    @inlinable @inline(__always)
    public func withObject<Result>(_ body: (Object) throws -> Result) rethrows -> Result {
        #if DEBUG
        try body(checked)
        #else
        try reference._withUnsafeGuaranteedRef(body)
        #endif
    }
}

extension Uncounted: Sendable where Object: Sendable {}
