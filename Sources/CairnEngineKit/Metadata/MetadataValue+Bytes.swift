import CairnStore

extension MetadataValue {
    /// The value as bytes, for engines that store metadata or their own records in files. The bytes
    /// are a tag, followed by the value in little-endian form. docs/formats/binary.md lists the
    /// tags. Equal values have equal bytes.
    package var bytes: [UInt8] { MetadataCodec.encode(self) }

    /// Decodes a value. Returns `nil` if the bytes are not exactly one value.
    package init?(bytes: UnsafeRawBufferPointer) {
        guard let value = MetadataCodec.decode(bytes) else { return nil }
        self = value
    }
}
