# The unmodified CGI pages of a form kit, each in this process. A merchant sets its constants mid, key and website, which this file sets.
use strict;
use warnings;
no warnings qw(redefine once);
use JSON::PP;

my ($step, $root) = @ARGV;
my $known;
BEGIN {
  unshift @INC, "$ARGV[1]/perl";
  $known = decode_json(do { local $/; <STDIN> });
  require Paytm::PaytmConstants;
  my %merchant = (MERCHANT_ID => $known->{mid}, MERCHANT_KEY => $known->{key}, WEBSITE => 'WEBSTAGING');
  no strict 'refs';
  for my $name (keys %merchant) { my $value = $merchant{$name}; *{"Paytm::PaytmConstants::$name"} = sub () { $value }; }
}

sub page {
  my ($name, $body) = @_;
  my $printed = '';
  open my $shown, '>', \$printed or die;
  my $before = select $shown;
  close STDIN;
  open STDIN, '<', \$body or die;
  local %ENV = (%ENV, REQUEST_METHOD => length $body ? 'POST' : 'GET', CONTENT_LENGTH => length $body);
  do "$root/perl/$name";
  my $error = $@;
  select $before;
  die $error if $error;
  return $printed;
}
sub form_encoded { join '&', map { my ($name, $value) = ($_, $_[0]{$_}); $value =~ s/([^A-Za-z0-9._~-])/sprintf '%%%02X', ord $1/ge; "$name=$value" } sort keys %{$_[0]} }

if ($step eq 'form') {
  my $page = page('request.pl', '');
  my ($action) = $page =~ /<form action="([^"]*)"/;
  my %fields = $page =~ /<input type='\w+' name='(\w+)' value="([^"]*)"/g;
  print encode_json({ action => $action, fields => \%fields }), "\n";
} else {
  my $page = page('response.pl', form_encoded($known->{fields}));
  my ($said) = $page =~ m{<h2>(\w+)</h2>};
  my ($order) = $page =~ /ORDERID:\s*([^<]*)</;
  print encode_json({ said => $said, order => $order }), "\n";
}
