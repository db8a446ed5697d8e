extension MetadataValue {
    /// The value as bytes, for engines that keep metadata or records of their own in files: a tag, then
    /// the value, little-endian. docs/formats/binary.md lists the tags. Equal values have equal bytes.
    public var bytes: [UInt8] { MetadataCodec.encode(self) }

    /// Reads a value. Returns `nil` if the bytes are not exactly one value.
    public init?(bytes: UnsafeRawBufferPointer) {
        guard let value = MetadataCodec.decode(bytes) else { return nil }
        self = value
    }
}
