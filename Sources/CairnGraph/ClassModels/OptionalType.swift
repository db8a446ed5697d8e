/// Any optional type.
protocol OptionalType {}

extension Optional: OptionalType {}
