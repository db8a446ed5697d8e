/// The number that the accessors of a class use for an attribute or to-one relationship.
///
/// A class numbers the properties that it lists in ``ManagedObject/slotNames`` from 0. The remaining
/// properties follow in the order of the entity's rows. Generated accessors contain the number as a
/// literal:
///
/// ```swift
/// var title: String? { string(at: 0) }
/// ```
///
/// These numbers and the types of the accessors are not checked against the model, because such code is
/// meant to be generated from the model. In handwritten code, use ``Managed`` properties, which are
/// checked.
///
/// ``ManagedObject/slot(named:)`` returns the slot of a property that the class does not list.
@frozen public struct ClassSlot: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// Only this file reads the number, so that it is not mistaken for the number of a ``RowSlot``, which
    /// may differ.
    @usableFromInline let numberInClass: Int

    /// Creates a slot from a literal. For properties that the class does not list, call
    /// ``ManagedObject/slot(named:)``.
    @inlinable public init(integerLiteral number: Int) {
        numberInClass = number
    }

    /// Returns the slot of a ``Managed`` property, which is the offset of its property wrapper in the
    /// object.
    ///
    /// In an optimised build, the offset is a constant, so only a number remains of this call.
    @inlinable @inline(__always) static func of<Object: ManagedObject, Value>(
        _ mark: ReferenceWritableKeyPath<Object, Managed<Value>>, in object: Object
    ) -> ClassSlot {
        let start = Int(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        let position = withUnsafeMutablePointer(to: &object[keyPath: mark]) {
            Int(bitPattern: $0)
        }
        return ClassSlot(integerLiteral: position &- start)
    }

    /// Returns the element for the slot, or `nil` if there is no element for it.
    func element<Element>(in elements: ContiguousArray<Element?>) -> Element? {
        elements.indices.contains(numberInClass) ? elements[numberInClass] : nil
    }
}

extension ClassSlot: CustomStringConvertible {
    /// The slot's number.
    public var description: String { "\(numberInClass)" }
}
