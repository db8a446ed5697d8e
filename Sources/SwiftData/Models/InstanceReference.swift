#if os(Linux)
internal import CairnCLinux
#endif

/// A reference to an object that either holds it, or is empty once nothing else holds it.
struct InstanceReference: ~Copyable {
    #if os(Linux)
    // A weak reference would need memory of its own for each object, and make counting its references slower. Swift's
    // unowned references keep the memory of an object that has ended, so that one can ask whether it has.

    /// The address of the object, or 0 without one. The lowest bit is set if the reference that is counted is a strong
    /// one. Otherwise it is an unowned one.
    private var word: UInt = 0

    deinit { give(word) }

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

    mutating func set(_ object: AnyObject, isHeld: Bool) {
        let reference = isHeld ? Unmanaged.passRetained(object) : .passUnretained(object)
        let former = word
        word = UInt(bitPattern: reference.toOpaque()) | (isHeld ? 1 : 0)
        if !isHeld { swift_unownedRetain(reference.toOpaque()) }
        give(former)
    }

    /// Holds the object no longer.
    mutating func weaken() {
        guard isHeld else { return }
        let reference = Self.reference(word)
        swift_unownedRetain(reference.toOpaque())
        word &= ~1
        reference.release()
    }

    private static func reference(_ word: UInt) -> Unmanaged<AnyObject> {
        .fromOpaque(UnsafeRawPointer(bitPattern: word & ~1).unsafelyUnwrapped)
    }

    private func give(_ word: UInt) {
        if word & 1 != 0 {
            Self.reference(word).release()
        } else if word != 0 {
            swift_unownedRelease(UnsafeMutableRawPointer(bitPattern: word))
        }
    }
    #else
    private var held: AnyObject?
    private weak var known: AnyObject?

    /// Whether the object is held.
    var isHeld: Bool { held != nil }

    /// The object. `nil` if nothing holds it.
    var object: AnyObject? { held ?? known }

    mutating func set(_ object: AnyObject, isHeld: Bool) {
        (held, known) = isHeld ? (object, nil) : (nil, object)
    }

    /// Holds the object no longer.
    mutating func weaken() {
        if let held { known = held }
        held = nil
    }
    #endif
}
