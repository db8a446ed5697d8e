#if os(Linux)
internal import CairnCLinux
#endif

/// A reference to an object that either holds it, or is empty once nothing else holds it.
///
/// Changes return the object that the reference held until then. The object ends when the caller discards it, after the
/// access to the reference, because code that runs when a model ends may ask for the reference.
struct InstanceReference: ~Copyable {
    #if os(Linux)
    // A weak reference would need memory of its own for each object, and make counting its references slower. Swift's
    // unowned references keep the memory of an object that has ended, so that one can ask whether it has.

    /// The address of the object, or 0 without one. The lowest bit is set if the reference that is counted is a strong
    /// one. Otherwise it is an unowned one.
    private var word: UInt = 0

    deinit { _ = Self.release(word) }

    /// Whether the object is held.
    var isHeld: Bool { word & 1 != 0 }

    /// The object. `nil` if nothing holds it.
    var object: AnyObject? {
        if isHeld { return Self.reference(word).takeUnretainedValue() }
        guard word != 0, swift_tryRetain(UnsafeMutableRawPointer(bitPattern: word)) != nil else {
            return nil
        }
        return Self.reference(word).takeRetainedValue()
    }

    @discardableResult
    mutating func set(_ object: AnyObject, isHeld: Bool) -> AnyObject? {
        let reference = isHeld ? Unmanaged.passRetained(object) : .passUnretained(object)
        let former = word
        word = UInt(bitPattern: reference.toOpaque()) | (isHeld ? 1 : 0)
        if !isHeld { swift_unownedRetain(reference.toOpaque()) }
        return Self.release(former)
    }

    /// Holds the object no longer.
    @discardableResult
    mutating func weaken() -> AnyObject? {
        guard isHeld else { return nil }
        let reference = Self.reference(word)
        swift_unownedRetain(reference.toOpaque())
        word &= ~1
        return reference.takeRetainedValue()
    }

    /// Makes the reference empty.
    @discardableResult
    mutating func clear() -> AnyObject? {
        let former = word
        word = 0
        return Self.release(former)
    }

    private static func reference(_ word: UInt) -> Unmanaged<AnyObject> {
        .fromOpaque(UnsafeRawPointer(bitPattern: word & ~1).unsafelyUnwrapped)
    }

    /// Ends the count of a word, and returns the object if it was held.
    private static func release(_ word: UInt) -> AnyObject? {
        if word & 1 != 0 { return reference(word).takeRetainedValue() }
        if word != 0 { swift_unownedRelease(UnsafeMutableRawPointer(bitPattern: word)) }
        return nil
    }
    #else
    private var held: AnyObject?
    private weak var known: AnyObject?

    /// Whether the object is held.
    var isHeld: Bool { held != nil }

    /// The object. `nil` if nothing holds it.
    var object: AnyObject? { held ?? known }

    @discardableResult
    mutating func set(_ object: AnyObject, isHeld: Bool) -> AnyObject? {
        defer { (held, known) = isHeld ? (object, nil) : (nil, object) }
        return held
    }

    /// Holds the object no longer.
    @discardableResult
    mutating func weaken() -> AnyObject? {
        if let held { known = held }
        defer { held = nil }
        return held
    }

    /// Makes the reference empty.
    @discardableResult
    mutating func clear() -> AnyObject? {
        defer { (held, known) = (nil, nil) }
        return held
    }
    #endif
}
