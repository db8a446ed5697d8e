import CairnStore

/// The number by which the accessors of a class know an attribute or to-one.
///
/// A class numbers the properties that it names in ``ManagedObject/slotNames`` from 0 on; the other
/// ones follow in the order of the entity's rows. Generated accessors write the number as a literal:
///
/// ```swift
/// var title: String? { string(at: 0) }
/// ```
///
/// Nothing compares these numbers and the accessors' types with the model: they are for code that is generated
/// from it. Write ``Managed`` properties by hand, which are compared.
///
/// ``ManagedObject/slot(named:)`` returns the slot of a property that the class does not name.
@frozen public struct ClassSlot: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// Only this file reads the number, so that nothing takes it for the number of a ``RowSlot``,
    /// which may be another one.
    @usableFromInline let numberInClass: Int

    /// Creates the slot that a literal stands for. Call ``ManagedObject/slot(named:)`` instead.
    @inlinable public init(integerLiteral number: Int) {
        numberInClass = number
    }

    /// Returns the slot of a property that is marked with ``Managed``: the offset of its mark in the object.
    ///
    /// An optimised build knows the offset, so that nothing is left of this but a number.
    @inlinable @inline(__always) static func of<Object: ManagedObject, Value>(
        _ mark: ReferenceWritableKeyPath<Object, Managed<Value>>, in object: Object
    ) -> ClassSlot {
        let start = Int(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        let position = withUnsafeMutablePointer(to: &object[keyPath: mark]) {
            Int(bitPattern: $0)
        }
        return ClassSlot(integerLiteral: position &- start)
    }

    /// Returns the element for the slot. `nil` if there is none.
    func element<Element>(in elements: ContiguousArray<Element?>) -> Element? {
        elements.indices.contains(numberInClass) ? elements[numberInClass] : nil
    }
}

extension ClassSlot: CustomStringConvertible {
    /// The number.
    public var description: String { "\(numberInClass)" }
}
