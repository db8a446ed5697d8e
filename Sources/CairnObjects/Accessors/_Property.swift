import CairnModel
import CairnRows

/// What the accessors of a class use that the compiler inlines into the program, and that is therefore public.
public enum _Property {
    /// The offset, in bytes, of a ``Managed`` property's mark in an object. It is the number of the property in its
    /// class. ``MarkedSlots`` is the only way to convert it to a ``RowSlot``.
    @frozen public struct Mark {
        /// Only this file reads the number, so that it is not mistaken for the number of a ``RowSlot``.
        @usableFromInline let bytes: Int

        /// In an optimised build, the offset is a constant, so only a number remains of this call.
        @inlinable @inline(__always) init<Object: ManagedObject, Value>(
            of mark: ReferenceWritableKeyPath<Object, Managed<Value>>, in object: Object
        ) {
            let start = Int(bitPattern: Unmanaged.passUnretained(object).toOpaque())
            let position = withUnsafeMutablePointer(to: &object[keyPath: mark]) {
                Int(bitPattern: $0)
            }
            bytes = position &- start
        }

        /// Returns the element for the mark, or `nil` if there is no element for it.
        func element<Element>(in elements: ContiguousArray<Element?>) -> Element? {
            elements.indices.contains(bytes) ? elements[bytes] : nil
        }
    }

    /// A value in a packed row. It is valid only while the row is being read.
    public struct Packed {
        @usableFromInline let values: RowPointer
        @usableFromInline let slot: RowLayout.Slot

        @inlinable init(values: RowPointer, slot: RowLayout.Slot) {
            self.values = values
            self.slot = slot
        }
    }

    /// The kind of property that a class declares, for comparison with the model.
    public enum Shape: Sendable {
        /// An attribute of one of the types. If `isOptional` is `false`, the attribute must be required.
        case attribute([AttributeType], isOptional: Bool)
        /// A to-one relationship whose destination is an object of the class.
        case toOne(ManagedObject.Type)
        /// A to-many relationship whose members are objects of the class.
        case toMany(ManagedObject.Type, isOrdered: Bool)
    }
}
